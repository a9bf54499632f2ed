import { expect } from 'chai';
import { readSteps, splitWords } from '../../support/examples/read-steps.ts';

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;

describe('readSteps', () => {
  const cases: readonly (readonly [string, string, object])[] = [
    [
      'a server',
      block('sh', 'portolan serve --config a'),
      { run: 'serve', command: 'portolan serve --config a' },
    ],
    [
      'a command that is answered',
      block('sh', 'portolan version') + block('text', '1.0'),
      { run: 'program', command: 'portolan version', output: { form: 'text', text: '1.0' } },
    ],
    [
      'a command in an item of a list',
      '1. First:\n\n   ```sh\n   portolan version\n   ```\n\n   ```text\n   1.0\n     2.0\n   ```\n',
      { run: 'program', command: 'portolan version', output: { form: 'text', text: '1.0\n  2.0' } },
    ],
    [
      'a command in the background',
      block('sh', 'node issuer.ts &') + block('text', 'ready'),
      { run: 'background', command: 'node issuer.ts', ready: 'ready' },
    ],
    [
      'a request',
      block('sh', 'curl http://a') + block('json', '{}'),
      { run: 'curl', command: 'curl http://a', answer: { form: 'json', text: '{}' } },
    ],
  ];
  for (const [what, markdown, step] of cases) {
    it(`parses ${what}`, () => expect(readSteps(markdown)).to.deep.equal([step]));
  }

  it('expects no output from a command that only changes a file', () => {
    const command = 'sed -i.bak s/a/b/ file';
    expect(readSteps(block('sh', command))).to.deep.equal([
      { run: 'program', command, output: { form: 'text', text: '' } },
    ]);
  });

  const refused: readonly (readonly [string, string])[] = [
    ['two commands in one block', block('sh', 'portolan version\nportolan kinds') + block('text', '')],
    ['a command without an answer', block('sh', 'portolan version')],
    ['a program that it cannot run', block('sh', 'make all') + block('text', '')],
  ];
  for (const [what, markdown] of refused) {
    it(`rejects ${what}`, () => expect(() => readSteps(markdown)).to.throw());
  }
});

describe('splitWords', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['a  b', ['a', 'b']],
    [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
    [`--claim='b c'`, ['--claim=b c']],
    [`'{"a": 1}'`, ['{"a": 1}']],
  ];
  for (const [command, words] of cases) {
    it(`splits ${command} into ${JSON.stringify(words)}`, () => {
      expect(splitWords(command)).to.deep.equal(words);
    });
  }
});
