#!/usr/bin/env node
// Stands in for the program `op` of 1Password: it answers as version 2 does, from a vault that is written here.
const [command, ...words] = process.argv.slice(2);
const fail = (message) => {
  process.stderr.write(`[ERROR] 2026/08/21 10:00:00 ${message}\n`);
  process.exit(1);
};
if (process.env.OP_SERVICE_ACCOUNT_TOKEN === undefined)
  fail('No accounts configured for use with 1Password CLI.');
if (process.env.PORTOLAN_SECRETS_PASSWORD !== undefined) fail('the password of Portolan was handed over');
const item = {
  id: 'i1',
  title: 'Weather',
  vault: { id: 'v1', name: 'Team' },
  fields: [
    { id: 'a', label: 'key', value: 'sunny\n', reference: 'op://Team/Weather/key' },
    { id: 'b', label: 'empty', value: '', reference: 'op://Team/Weather/empty' },
    { id: 'c', label: 'notes', reference: 'op://Team/Weather/notes' },
  ],
};
if (command === 'read') {
  const reference = words.at(-1);
  if (reference === 'op://Team/Weather/key') process.stdout.write('sunny\n');
  else if (reference === 'op://Team/Broken/key') fail('(500) Internal Server Error');
  else if (reference === 'op://Team/Slow/key') setInterval(() => undefined, 1000);
  else fail(`could not read secret '${reference}': "Weather" isn't an item in the "Team" vault.`);
} else if (command === 'item' && words[0] === 'list') {
  process.stdout.write(JSON.stringify([{ id: item.id, title: item.title, vault: item.vault }]));
} else if (command === 'item' && words[0] === 'get' && words[1] === 'i1' && words[2] === '--vault=v1') {
  process.stdout.write(JSON.stringify(item));
} else fail(`unknown command ${process.argv.slice(2).join(' ')}`);
