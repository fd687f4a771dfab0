"""The stage that measures models on held-out dialogues: `python -m her_workers.evaluate evaluate.json`."""
