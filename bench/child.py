"""Start Django on the database of this process's environment, run one function, print what it returns as JSON.

`python -m bench.child bench.inside.pages:measure '{"rounds": 5}'`: databases.py calls it.
"""

import importlib
import json
import sys

import django

if __name__ == "__main__":
    module, _, function = sys.argv[1].partition(":")
    django.setup()
    result = getattr(importlib.import_module(module), function)(**json.loads(sys.argv[2]))
    sys.stdout.write(f"\n{json.dumps(result)}\n")
