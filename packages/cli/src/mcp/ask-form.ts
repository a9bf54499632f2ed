import type { ElicitRequestFormParams } from '@modelcontextprotocol/client';
import { isJsonObject } from '@portolan/plugin-api';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { printable, printableLines } from '../terminal/printable.ts';
import { type FindFaults, faultFinder } from './check-arguments.ts';
import { type ArgumentSchema, readValue } from './tool-arguments.ts';

export type FormValue = string | number | boolean | string[];

/** Result of an elicitation form. */
export type FormResult =
  | { readonly action: 'accept'; readonly content: Record<string, FormValue> }
  | { readonly action: 'decline' | 'cancel' };

export interface FormTerminal {
  readonly input: Readable;
  readonly output: Writable;
  /** Called on Ctrl-C, which the prompts intercept. */
  readonly interrupt: () => void;
}

/**
 * Shows the name of the server and its form, and reads one line for each field from the user. Returns
 * `decline` when the user types `no` at the first question, and `cancel` when the input ends. Asks again for an
 * invalid value. An empty line selects the default, or omits an optional field. Rejects with the signal's reason.
 */
export async function askForm(
  server: string,
  { message, requestedSchema }: ElicitRequestFormParams,
  { input, output, interrupt }: FormTerminal,
  signal: AbortSignal,
): Promise<FormResult> {
  signal.throwIfAborted();
  const lines = createInterface({ input, output });
  lines.on('SIGINT', interrupt);
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const ask = async (question: string): Promise<string | undefined> =>
    await Promise.race([lines.question(question, { signal }), ended]);
  try {
    output.write(`${printable(server)} asks:\n${indented(printableLines(message))}\n`);
    const agreed = await ask('Answer it? [yes/no] ');
    if (agreed === undefined) return { action: 'cancel' };
    if (!/^y(?:es)?$/i.test(agreed.trim())) return { action: 'decline' };
    const content: Record<string, FormValue> = {};
    for (const [key, schema] of Object.entries(requestedSchema.properties)) {
      const field = fieldOf(key, schema, requestedSchema.required ?? []);
      const value = await askField(field, ask, output);
      if (value === undefined) return { action: 'cancel' };
      if (value.isGiven) Object.defineProperty(content, key, { value: value.value, enumerable: true });
    }
    return { action: 'accept', content };
  } finally {
    lines.close();
  }
}

interface Field {
  readonly key: string;
  readonly schema: ArgumentSchema;
  readonly isRequired: boolean;
  readonly question: string;
  readonly findFaults: FindFaults;
}

type FieldInput = { readonly isGiven: false } | { readonly isGiven: true; readonly value: FormValue };

async function askField(
  field: Field,
  ask: (question: string) => Promise<string | undefined>,
  output: Writable,
): Promise<FieldInput | undefined> {
  for (;;) {
    const line = await ask(field.question);
    if (line === undefined) return undefined;
    const read = readLine(line.trim(), field);
    if ('fault' in read) output.write(`  ${printable(read.fault)}\n`);
    else return read;
  }
}

function readLine(
  text: string,
  { key, schema, isRequired, findFaults }: Field,
): FieldInput | { fault: string } {
  const fallback = schema['default'];
  if (text === '' && isFormValue(fallback)) return { isGiven: true, value: fallback };
  if (text === '' && !isRequired) return { isGiven: false };
  let value: unknown;
  try {
    value = readWord(key, text, schema);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
  const [fault] = findFaults(value);
  if (fault !== undefined) return { fault };
  return isFormValue(value) ? { isGiven: true, value } : { fault: 'expected a value of another type' };
}

function readWord(key: string, text: string, schema: ArgumentSchema): unknown {
  if (schema['type'] === 'array')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  if (schema['type'] === 'boolean' && /^(?:y|yes|n|no)$/i.test(text)) return /^y/i.test(text);
  return readValue(key, text, schema);
}

function isFormValue(value: unknown): value is FormValue {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function fieldOf(key: string, schema: ArgumentSchema, required: readonly string[]): Field {
  const { title, description, default: fallback } = schema;
  const choices = choicesOf(schema);
  const about = [
    typeof description === 'string' && description !== '' ? description : undefined,
    choices.length === 0 ? undefined : `one of ${choices.join(', ')}`,
    schema['type'] === 'boolean' ? 'yes or no' : undefined,
    schema['type'] === 'array' ? 'several, separated by commas' : undefined,
    required.includes(key) ? undefined : 'optional',
  ].filter((one) => one !== undefined);
  const name = typeof title === 'string' && title !== '' ? title : key;
  const shown = isFormValue(fallback) ? ` [${String(fallback)}]` : '';
  const question = `  ${printable(`${name}${about.length === 0 ? '' : ` (${about.join('; ')})`}${shown}`)}: `;
  const { find } = faultFinder(schema, name);
  return { key, schema, isRequired: required.includes(key), question, findFaults: find };
}

function choicesOf(schema: ArgumentSchema): readonly string[] {
  const items = schema['items'];
  if (isJsonObject(items)) return choicesOf(items);
  const listed = schema['enum'] ?? schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one: unknown) => {
    const value = isJsonObject(one) ? one['const'] : one;
    return typeof value === 'string' ? [value] : [];
  });
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
