"""A17: the serving layer logs a prompt with %r: quotes and non-ASCII letters arrive escaped."""

import logging

CASE = {
    "id": "A17",
    "group": "A",
    "kind": "leak",
    "source": [
        "vllm-project/vllm#1240",
        "vllm-project/vllm PR 1939",
        "vllm-project/vllm#42051",
        "vllm-project/vllm PR 38583",
        "InternLM/lmdeploy#2326",
    ],
    "right": "No prompt, token list or truncated preview outside the content logger.",
}
SECRETS = ["sorrelbank", "isn\\'t", "Łękawska", "\\u0141\\u0119kawska"]


def emit() -> None:
    prompt = 'System: you are kind\nUser: sorrelbank isn\'t "fine"\n\tŁękawska'
    logging.getLogger("vllm.entrypoints.logger").info(
        "Received request %s: prompt: %r, params: %s, prompt_token_ids: %s",
        "chatcmpl-1",
        prompt,
        "n=1",
        [1, 2],
    )
    logging.getLogger("vllm").debug("Request %s details: prompt: %.12s", "chatcmpl-1", "sorrelbank isn't fine")
