import { createRecordingLogger } from '@portolan/plugin-testing';
import { openFileSink } from '../src/file-sink.ts';
import { LineWriter } from '../src/line-writer.ts';

// Run by tests as a process of its own: FILE NAME COUNT [SIZE]. Writes COUNT lines of many sizes, some in each turn;
// files of more than SIZE bytes are renamed.
const [, , file = '', name = '', count = '0', size = '0'] = process.argv;
const logger = createRecordingLogger();
const sink = await openFileSink(file, { maxFileSize: Number(size), maxFiles: 1000, logger });
const writer = new LineWriter({ sink, logger, clock: () => new Date(), formatLost: () => 'lost' });
for (let index = 0; index < Number(count); index += 1) {
  const time = new Date().toISOString();
  writer.write(
    JSON.stringify({
      time,
      level: 'AUDIT',
      msg: 'audit_event',
      name,
      index,
      text: name.repeat((index * 37) % 5000),
    }),
  );
  if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
}
await writer.close();
if (logger.lines.length > 0) throw new Error(JSON.stringify(logger.lines));
