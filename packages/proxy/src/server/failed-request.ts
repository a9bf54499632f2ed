import type { MessageId } from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import { toErrorMessage } from '../request/http-errors.ts';

/**
 * Failure of one request, which a connection reports instead of a response. The client gets the HTTP status of the
 * error, as when the whole connection fails.
 */
export class FailedRequest {
  readonly error: PortolanError;
  readonly id: MessageId;

  constructor(error: PortolanError, id: MessageId) {
    this.error = error;
    this.id = id;
  }

  /** Response for a reader that knows only messages. */
  get beginning(): string {
    return toErrorMessage(this.error, this.id);
  }
}
