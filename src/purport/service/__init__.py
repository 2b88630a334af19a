"""The broker behind sockets: REST, SPARQL 1.1 Protocol, WebSockets and server-sent events."""
