import os, subprocess
from pyspark.sql import SparkSession

BASE, NIGHT, BEFORE, PARTS = "/srv/eventmill", "2024-06-02", "2024-06-01", 64
LOGS, WORK, OUT = f"{BASE}/logs/{NIGHT}", f"{BASE}/work/{NIGHT}", f"{BASE}/out/{NIGHT}"
OPTIONS = ["--jobs", "2", "--memory", "4G", "--quiet", "--no-progress"]

def eventmill(*arguments):
    done = subprocess.run(["eventmill", *arguments], capture_output=True, text=True)
    if done.returncode != 0:                         # Spark tries the task again
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")

def partial(file):
    out = f"{WORK}/partials/{os.path.basename(file)}"
    if not os.path.exists(f"{out}/manifest.json"):
        eventmill("partial", "--partitions", str(PARTS), "--out", out, *OPTIONS, file)
    return out

def merge(step, partition, partials):
    eventmill("merge", f"--{step}", str(partition), "--previous", f"{BASE}/out/{BEFORE}",
              "--dedupe-days", "7", "--out", f"{WORK}/merged", *OPTIONS, *partials)

# One task of Spark for each core pair: spark.task.cpus=2. No second try beside the first.
spark = (SparkSession.builder.appName("eventmill")
         .config("spark.task.cpus", "2").config("spark.speculation", "false").getOrCreate())
os.makedirs(f"{WORK}/partials", exist_ok=True)
files = sorted(f"{LOGS}/{name}" for name in os.listdir(LOGS))
partials = spark.sparkContext.parallelize(files, max(len(files), 1)).map(partial).collect()
for step in ["installations", "unchanged", "people"]:
    (spark.sparkContext.parallelize(range(PARTS), PARTS)
     .foreach(lambda partition, step=step: merge(step, partition, partials)))
if not os.path.exists(f"{OUT}/manifest.json"):
    eventmill("merge", "--finish", "--out", OUT, *OPTIONS, f"{WORK}/merged")
