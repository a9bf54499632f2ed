// Backend of the stdio bridges: one message per line. Writes all responses of one event loop turn at once.
import { answerOf, type LooseMessage } from './echo-tool.ts';
import { splitLines } from './split-lines.ts';

let out = '';
process.stdin.on(
  'data',
  splitLines((line) => {
    if (line === '') return;
    // SAFETY: only this benchmark's bridges write here.
    const answer = answerOf(JSON.parse(line) as LooseMessage);
    if (answer === undefined) return;
    if (out === '')
      setImmediate(() => {
        process.stdout.write(out);
        out = '';
      });
    out += `${JSON.stringify(answer)}\n`;
  }),
);
process.stdin.on('end', () => process.exit(0));
