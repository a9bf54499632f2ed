import type { OpenConnection } from '@portolan/plugin-api';
import { HttpConnection } from './http-connection.ts';
import type { HttpConnectionOptions } from './http-connection-options.ts';

/**
 * Returns a function that opens connections to an HTTP server of any revision. Each connection is one session
 * of a server with a handshake. Requests without a handshake need no session, so one connection can carry
 * those of all clients.
 *
 * Nothing is sent before the first message. Each request gets a response: if necessary an error with the code
 * -32603, and `data` with a `reason`, and `status`, `retryAfterSeconds` and `challenge` if the server sent
 * them. The messages of a connection end with an error when its session is over. Requests of a closed
 * connection and cancelled requests get no response.
 */
export function connectHttp(options: HttpConnectionOptions): OpenConnection {
  return async (signal) => {
    signal.throwIfAborted();
    return new HttpConnection(options);
  };
}
