import type { SecretListing, SecretStore } from '@portolan/plugin-api';
import { badReference, notSignedIn, programFailed } from './errors.ts';
import { type OpProgram, runOp } from './run-op.ts';

/** Vault, item, an optional section, and field; no part is empty. */
const REFERENCE = /^op:\/\/[^/]+\/[^/]+(?:\/[^/]+){1,2}$/;
const ABSENT =
  /isn't an? (?:item|vault|field|section)|not found|does not exist|doesn't exist|could not find|no item matched|no account found matching/i;
const SIGNED_OUT =
  /not (?:currently )?signed in|no accounts? configured|sign ?in to|authentication|unauthori[sz]ed|service account.*(?:invalid|token)|OP_SERVICE_ACCOUNT_TOKEN/i;

/**
 * Secrets of references `op://vault/item/field`. Only references are passed to the program, without a shell.
 */
export class OnePasswordStore implements SecretStore {
  readonly #program: OpProgram;

  constructor(program: OpProgram) {
    this.#program = program;
  }

  async find(name: string, signal?: AbortSignal): Promise<string | undefined> {
    if (!REFERENCE.test(name) || /\p{Cc}/u.test(name)) throw badReference();
    const result = await runOp(this.#program, ['read', '--no-newline', name], signal);
    if (result.status === 0) return result.output;
    if (SIGNED_OUT.test(result.complaint)) throw notSignedIn(this.#program.program);
    if (ABSENT.test(result.complaint)) return undefined;
    throw this.#failed(result.complaint, result.status);
  }

  async list(signal?: AbortSignal): Promise<readonly SecretListing[]> {
    const listings: SecretListing[] = [];
    for (const item of objectsOf(await this.#ask(['item', 'list'], signal))) {
      const [id, vault] = [textOf(item, 'id'), textOf(memberOf(item, 'vault'), 'id')];
      if (id === '' || vault === '') continue;
      const whole = await this.#ask(['item', 'get', id, `--vault=${vault}`], signal);
      listings.push(...fieldsOf(whole));
    }
    return listings.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async #ask(words: readonly string[], signal: AbortSignal | undefined): Promise<unknown> {
    const { status, output, complaint } = await runOp(this.#program, [...words, '--format=json'], signal);
    if (status !== 0) {
      throw SIGNED_OUT.test(complaint) ? notSignedIn(this.#program.program) : this.#failed(complaint, status);
    }
    try {
      return JSON.parse(output);
    } catch {
      throw this.#failed('its output is not JSON', status);
    }
  }

  #failed(complaint: string, status: number | null): Error {
    return programFailed(
      this.#program.program,
      complaint === '' ? `it ended with status ${status}` : complaint,
    );
  }
}

/** Omits fields without a value. */
function fieldsOf(item: unknown): readonly SecretListing[] {
  const vault = textOf(memberOf(item, 'vault'), 'name');
  const title = textOf(item, 'title');
  return objectsOf(memberOf(item, 'fields')).flatMap((field) => {
    const name = textOf(field, 'reference');
    if (name === '' || textOf(field, 'value') === '') return [];
    return [
      {
        name,
        description: [vault, title, textOf(field, 'label')].filter((part) => part !== '').join(' :: '),
      },
    ];
  });
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function textOf(value: unknown, key: string): string {
  const member = memberOf(value, key);
  return typeof member === 'string' ? member : '';
}

function objectsOf(value: unknown): readonly object[] {
  return Array.isArray(value)
    ? value.filter((one): one is object => typeof one === 'object' && one !== null)
    : [];
}
