"""The stage that makes a small study's own model and data: `python -m her_workers.prepare prepare.json`.

Everything in it is invented and made from one seed, so that a run needs no download and two runs give the same bytes.
"""
