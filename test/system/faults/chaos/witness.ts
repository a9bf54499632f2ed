import { inTime } from '@portolan/plugin-testing';
import type {
  Answer,
  Json,
  RegistryUnderTest,
  RequestOptions,
} from '../../../support/registry-under-test.ts';

/** Longer than `server.requestTimeout`, the maximum time of a request, with a reserve for a busy machine. */
const HANGS_MS = 30_000;

/** A change with a 2xx response. */
interface Done {
  readonly server: RegistryUnderTest;
  readonly what: string;
  readonly requestId: string;
}

/** Sends requests, and records responses that are never allowed, whatever the state of the database. */
export class Witness {
  readonly problems: string[] = [];
  readonly done: Done[] = [];

  note(problem: string): void {
    this.problems.push(problem);
  }

  /** Returns the response, or undefined if it says correctly that the database is unavailable. */
  async ask(
    server: RegistryUnderTest,
    method: string,
    target: string,
    options: RequestOptions,
  ): Promise<Answer | undefined> {
    const what = `${method} ${target}`;
    const answer = await inTime(`an answer to ${what}`, server.send(method, target, options), {
      withinMs: HANGS_MS,
    });
    if (answer.status >= 500) {
      this.#judgeFailure(what, answer);
      return undefined;
    }
    if (method !== 'GET' && answer.status < 300)
      this.done.push({ server, what, requestId: answer.headers.get('x-request-id') ?? '' });
    return answer;
  }

  #judgeFailure(what: string, { status, headers, text }: Answer): void {
    const told = `${what}: ${status} ${text}`;
    const { error, code, requestId } = JSON.parse(text) as Json;
    if (typeof error !== 'string' || typeof requestId !== 'string') this.note(`${told} says too little`);
    if (headers.get('etag') !== null) this.note(`${told} has the tag of another answer`);
    const isForeseen = status === 503 || (status === 504 && code === 'ERR_DEADLINE_EXCEEDED');
    if (!isForeseen) this.note(`${told} was not foreseen`);
    if (status === 503 && headers.get('retry-after') === null)
      this.note(`${told} does not say when to try again`);
  }
}
