/** Media types that clients accept over streamable HTTP (MCP 2025-11-25, Transports). */
export const MESSAGE_TYPES = 'application/json, text/event-stream';
