"""The server of boards: rooms over HTTP and WebSocket, and the page that shows them."""
