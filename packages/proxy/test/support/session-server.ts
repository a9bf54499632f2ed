/** A process that serves `answerSession` over standard input and output. */
import { createInterface } from 'node:readline';
import { answerSession } from './session-script.ts';

createInterface({ input: process.stdin }).on('line', (line) =>
  answerSession(JSON.parse(line), {
    say: (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    exit: () => process.exit(1),
  }),
);
