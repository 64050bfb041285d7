# Completions of eventmill for fish: eventmill completions fish | source
function __eventmill_answer
    set -l words (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    type -q -- "$program" && "$program" __complete $words[2..-1] (commandline -ct) 2>/dev/null
end

function __eventmill_offers
    set -l lines (__eventmill_answer)
    string join \n -- $lines[2..-1]
    test "$lines[1]" = directories || return
    set -l token (commandline -ct)
    set -l option (string match -r '^--[^=]*=' -- $token)
    set -l path (string replace -- "$option" '' $token)
    string join \n -- "$option"(__fish_complete_directories "$path")
end

complete -c eventmill -f -a '(__eventmill_offers)'
# Without an answer files are offered.
complete -c eventmill -n 'not __eventmill_answer | string match -qr "^(none|directories)\$"' -F
