"""Stand-in of the endpoints of models: answers "ok" to Claude Code and to Codex.

    fake_model.py PORT
"""
import http.server
import json
import sys

MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
USAGE = {"input_tokens": 1, "output_tokens": 1}
ITEM = {
    "type": "message",
    "role": "assistant",
    "id": "m",
    "content": [{"type": "output_text", "text": "ok"}],
}
MESSAGES = [
    {"type": "message_start", "message": {**MESSAGE, "stop_reason": None, "usage": USAGE}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": USAGE},
    {"type": "message_stop"},
]
RESPONSES = [
    {"type": "response.created", "response": {"id": "r"}},
    {"type": "response.output_item.done", "item": ITEM},
    {"type": "response.completed", "response": {"id": "r", "usage": {**USAGE, "total_tokens": 2}}},
]


class Endpoint(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in RESPONSES if "responses" in self.path else MESSAGES:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def do_GET(self):
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_arguments):
        pass


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Endpoint).serve_forever()
