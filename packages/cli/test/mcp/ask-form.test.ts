import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { askForm, type FormResult } from '../../src/mcp/ask-form.ts';

type Properties = Readonly<Record<string, object>>;

const NAME = { type: 'string', title: 'Your name', minLength: 2 };

/** Returns the result of a form for typed lines, and the text that the user sees. */
async function answer(
  properties: Properties,
  required: readonly string[],
  typed: readonly string[],
): Promise<{ readonly answer: FormResult; readonly shown: string }> {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    // Type the next line only after a question.
    if (!/(?:\] |: )$/.test(text)) return;
    const line = typed[asked++];
    if (line === undefined) input.end();
    else input.write(`${line}\n`);
  });
  let asked = 0;
  const requestedSchema = { type: 'object' as const, properties, required: [...required] };
  const form = { message: 'Who are \u001B[31myou\u001B[0m?\nSay it.', requestedSchema };
  const terminal = { input, output, interrupt: () => undefined };
  // SAFETY: field schemas in the form that a server sends.
  const asking = askForm(
    'crew\u001B[2J',
    form as Parameters<typeof askForm>[1],
    terminal,
    new AbortController().signal,
  );
  return { answer: await asking, shown };
}

describe('askForm', () => {
  it('shows the name of the server, without control characters', async () => {
    const { shown } = await answer({}, [], ['no']);
    expect(shown).to.match(/^crew asks:\n {2}Who are you\?\n {2}Say it\.\nAnswer it\? \[yes\/no\] /);
  });

  const cases: readonly {
    readonly title: string;
    readonly properties: Properties;
    readonly required?: readonly string[];
    readonly typed: readonly string[];
    readonly expected: FormResult;
  }[] = [
    { title: 'declines for no', properties: { a: NAME }, typed: ['no'], expected: { action: 'decline' } },
    { title: 'declines for anything but yes', properties: {}, typed: [''], expected: { action: 'decline' } },
    { title: 'cancels when the input ends', properties: {}, typed: [], expected: { action: 'cancel' } },
    {
      title: 'cancels when the input ends between two fields',
      properties: { a: NAME },
      typed: ['y'],
      expected: { action: 'cancel' },
    },
    {
      title: 'returns values of the types in the schema',
      properties: {
        name: NAME,
        age: { type: 'integer' },
        ok: { type: 'boolean' },
        ratio: { type: 'number' },
      },
      typed: ['yes', 'Ann', '7', 'y', '0.5'],
      expected: { action: 'accept', content: { name: 'Ann', age: 7, ok: true, ratio: 0.5 } },
    },
    {
      title: 'asks again for an invalid value',
      properties: { name: NAME, age: { type: 'integer', maximum: 9 } },
      required: ['name', 'age'],
      typed: ['yes', 'A', '', 'Ann', 'old', '70', '7'],
      expected: { action: 'accept', content: { name: 'Ann', age: 7 } },
    },
    {
      title: 'uses defaults, and omits optional fields',
      properties: {
        name: { ...NAME, default: 'Bob' },
        age: { type: 'integer' },
        on: { type: 'boolean', default: false },
      },
      typed: ['yes', '', '', ''],
      expected: { action: 'accept', content: { name: 'Bob', on: false } },
    },
    {
      title: 'accepts choices in every form of the schema',
      properties: {
        plain: { type: 'string', enum: ['red', 'blue'] },
        titled: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] },
        several: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } },
      },
      typed: ['yes', 'green', 'red', 'r', 'a, c'],
      expected: { action: 'accept', content: { plain: 'red', titled: 'r', several: ['a', 'c'] } },
    },
  ];
  for (const { title, properties, required = [], typed, expected } of cases) {
    it(title, async () => {
      expect((await answer(properties, required, typed)).answer).to.deep.equal(expected);
    });
  }

  it('shows the choices, and which fields are optional', async () => {
    const { shown } = await answer({ hue: { type: 'string', enum: ['red', 'blue'] } }, [], ['yes', 'red']);
    expect(shown).to.contain('  hue (one of red, blue; optional): ');
  });

  it('rejects with the reason of the aborted signal', async () => {
    const stop = new AbortController();
    const terminal = { input: new PassThrough(), output: new PassThrough(), interrupt: () => undefined };
    const form = { message: 'Who?', requestedSchema: { type: 'object' as const, properties: {} } };
    const asking = askForm('crew', form, terminal, stop.signal);
    stop.abort(new Error('stopped'));
    await asking.then(
      () => expect.fail('it was answered'),
      (error: unknown) => expect(String(error)).to.match(/stopped|abort/i),
    );
  });
});
