import {
  type JsonRecord,
  type RequestMessage,
  type ResponseMessage,
  type RpcError,
  writeError,
} from '@portolan/mcp-protocol';
import {
  isPortolanError,
  type MessageSender,
  type PortolanError,
  type ReceivedMessage,
} from '@portolan/plugin-api';
import { requestCancelled, serverExited } from '../../../errors/server-errors.ts';
import { FailedRequest } from '../../failed-request.ts';
import type { ServerRequest } from '../../server-request.ts';
import type { ClientRequests } from '../client-requests.ts';
import { isInputRequired, RoundOfInput } from './input-rounds.ts';
import type { ModernPeer } from './modern-peer.ts';
import { toLegacyResponse } from '../to-legacy.ts';
import { addRound } from '../to-modern.ts';

export interface LegacyCallOptions {
  /** Request of the client, with the envelope. */
  readonly request: RequestMessage;
  readonly peer: ModernPeer;
  readonly client: ClientRequests;
  readonly capabilities: JsonRecord | undefined;
  readonly logLevel: number | undefined;
  readonly maxRounds: number;
  readonly sender: MessageSender | undefined;
  readonly deliver: (message: ReceivedMessage, mayDrop: boolean) => void;
  /** Called once with the response, unless the call is cancelled. */
  readonly respond: (response: ReceivedMessage) => void;
}

/** Request of a Legacy client to a Modern server, with all rounds in which the server requests input. */
export class LegacyCall {
  readonly #options: LegacyCallOptions;
  #request: ServerRequest | undefined;
  #round: RoundOfInput | undefined;
  #rounds = 0;
  #isOver = false;

  constructor(options: LegacyCallOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#send(this.#options.request);
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#round?.cancel();
    if (this.#request !== undefined) this.#options.peer.cancel(this.#request);
  }

  #send(message: RequestMessage): void {
    const { peer, deliver, logLevel, sender } = this.#options;
    const receiver = {
      logLevel,
      answered: (response: ResponseMessage) => void this.#take(response),
      progressed: (text: string) => deliver(text, true),
      logged: ({ text }: { readonly text: string }) => deliver(text, true),
      failed: (error: PortolanError) => this.#end(new FailedRequest(error, message.id)),
    };
    try {
      this.#request = peer.request(message, receiver, sender);
    } catch (error) {
      this.#end(new FailedRequest(isPortolanError(error) ? error : serverExited(error), message.id));
    }
  }

  async #take(response: ResponseMessage): Promise<void> {
    const { request, client, capabilities, maxRounds } = this.#options;
    this.#request = undefined;
    if (!isInputRequired(response)) {
      this.#end(toLegacyResponse(request.method, response).text);
      return;
    }
    this.#rounds += 1;
    if (this.#rounds > maxRounds) {
      this.#refuse(`The server requested input more than ${maxRounds} times for one call.`);
      return;
    }
    this.#round = new RoundOfInput();
    const outcome = await this.#round.run(response, client, capabilities);
    this.#round = undefined;
    if (this.#isOver) return;
    if (outcome === undefined) this.#end(new FailedRequest(requestCancelled(), request.id));
    else if ('fault' in outcome) this.#refuse(outcome.fault);
    else this.#send(addRound(request, outcome));
  }

  #refuse(message: string): void {
    const error: RpcError = { code: -32603, message };
    this.#end(writeError(this.#options.request.id, error));
  }

  #end(response: ReceivedMessage): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.respond(response);
  }
}
