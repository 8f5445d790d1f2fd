"""A stand-in for the models that agents ask: it says "ok" to everything."""
import http.server
import json
import threading

MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
# As Anthropic's messages stream.
MESSAGES = [
    {"type": "message_start", "message": MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 1},
    },
    {"type": "message_stop"},
]
USAGE = {
    "input_tokens": 1,
    "input_tokens_details": None,
    "output_tokens": 1,
    "output_tokens_details": None,
    "total_tokens": 2,
}
TEXT = {"type": "output_text", "text": "ok"}
ITEM = {"type": "message", "role": "assistant", "id": "m1", "content": [TEXT]}
# As OpenAI's responses do.
RESPONSES = [
    {"type": "response.created", "response": {"id": "r1"}},
    {"type": "response.output_item.done", "item": ITEM},
    {"type": "response.completed", "response": {"id": "r1", "usage": USAGE}},
]
# As Gemini does.
PARTS = {"content": {"role": "model", "parts": [{"text": "ok"}]}, "finishReason": "STOP"}
CONTENT = [{"candidates": [PARTS], "usageMetadata": {"totalTokenCount": 2}}]


def events_for(path):
    if "responses" in path:
        return RESPONSES
    return CONTENT if "enerateContent" in path else MESSAGES


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):  # pylint: disable=invalid-name
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events_for(self.path):
            kind = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{kind}data: {json.dumps(event)}\n\n".encode())

    def do_GET(self):  # pylint: disable=invalid-name
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_words):  # pylint: disable=arguments-differ
        pass


def serve():
    """Until this process ends; returns the address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
