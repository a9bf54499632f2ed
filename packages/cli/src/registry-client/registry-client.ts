import { ServerClient, type ServerReply, type ServerRequest } from '@portolan/registry-client';
import { refusalError } from './refusal-error.ts';

/** Asks a registry server for a command, which ends where the server refuses. */
export class RegistryClient extends ServerClient {
  /** The reply. Throws ERR_SERVER_REFUSED with the server's sentence, and what `send` throws. */
  async ask(request: ServerRequest): Promise<ServerReply> {
    const outcome = await this.send(request);
    if (!outcome.ok) throw refusalError(outcome.refusal, this);
    return outcome.reply;
  }
}
