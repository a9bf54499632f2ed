import { inTime } from '@portolan/plugin-testing';
import type {
  Answer,
  Json,
  RegistryUnderTest,
  RequestOptions,
} from '../../../support/registry-under-test.ts';

/** Longer than `server.requestTimeout`, which no request may take longer than, on a machine that has more to do. */
const HANGS_MS = 30_000;

/** A change that was answered with 2xx. */
interface Done {
  readonly server: RegistryUnderTest;
  readonly what: string;
  readonly requestId: string;
}

/** Sends requests, and notes what none may be answered with, whatever becomes of the database. */
export class Witness {
  readonly problems: string[] = [];
  readonly done: Done[] = [];

  note(problem: string): void {
    this.problems.push(problem);
  }

  /** The answer; undefined where the database was away, and the answer says so as it has to. */
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
