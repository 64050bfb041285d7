# Completions of eventmill for fish: eventmill completions fish | source
function __eventmill_offers
    set -l token (commandline -ct)
    set -l lines (eventmill __complete (commandline -opc)[2..-1] "$token" 2>/dev/null)
    string join \n -- $lines[2..-1]
    set -l option (string match -r '^--[^=]*=' -- $token)
    set -l path (string replace -- "$option" '' $token)
    switch "$lines[1]"
        case files
            printf "$option%s\n" (__fish_complete_path "$path")
        case directories
            printf "$option%s\n" (__fish_complete_directories "$path")
    end
end

complete -c eventmill -f -a '(__eventmill_offers)'
