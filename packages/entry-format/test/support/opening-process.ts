// Opens files without a name in the given folder until it is killed, and says so once.
import { openUnnamed } from '../../src/open-unnamed.ts';

const folder = process.argv[2] ?? '';
for (let opened = 0; ; opened += 1) {
  const files = await Promise.all([openUnnamed(folder), openUnnamed(folder)]);
  await Promise.all(files.map((file) => file.close()));
  if (opened === 0) process.stdout.write('opened\n');
}
