// The server behind the bridges: one message a line. Answers that are made in one turn leave in one write.
import { answerOf, type LooseMessage } from './echo-tool.ts';
import { splitLines } from './split-lines.ts';

let out = '';
process.stdin.on(
  'data',
  splitLines((line) => {
    if (line === '') return;
    // SAFETY: only the bridges of this benchmark write here.
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
