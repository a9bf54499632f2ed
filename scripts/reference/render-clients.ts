import {
  type ClientProgram,
  CLIENTS,
  type EntryTransport,
} from '../../packages/workload/src/clients/client-table.ts';

const HEAD = `# Clients

The clients that \`portolan client setup\` knows: the files of their forms, and the entries that they understand. In entries,
\`{name}\` and \`{url}\` stand for the workload, \`{command}\`, \`{args}\` and \`{words}\` for the command \`portolan proxy stdio NAME\`.
A client without the transport of a workload gets this command.

\`C\` is \`~/.config\` or \`XDG_CONFIG_HOME\` on Linux, \`~/Library/Application Support\` on macOS, \`%APPDATA%\` on Windows. \`X\` is
\`~/.config\` or \`XDG_CONFIG_HOME\` on every system. *Tried with* names the newest release that saw a workload in this file when
[\`npm run test:world\`](../contributing/tests.md#real-servers-clients-and-sdks) asked it. An empty cell means that no release was tried.

## Files

| Client | Form | File | Key | Tried with |
| --- | --- | --- | --- | --- |
`;

const TRANSPORTS: readonly (readonly [EntryTransport, string])[] = [
  ['streamable-http', 'Streamable HTTP'],
  ['sse', 'HTTP+SSE'],
  ['stdio', 'Command'],
];

export function renderClients(): string {
  const sorted = CLIENTS.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const files = sorted.flatMap(({ id, files: all, servers }) =>
    all.map(({ form, path, tried = '' }) => {
      const place = /^[CX]\//.test(path) ? path : `~/${path}`;
      return `| ${id} | ${form} | \`${place}\` | \`${servers}\` | ${tried} |`;
    }),
  );
  const entries = sorted.map(
    (client) =>
      `| ${client.id} | ${TRANSPORTS.map(([transport]) => entryCell(client, transport)).join(' | ')} |`,
  );
  const heading = `| Client | ${TRANSPORTS.map(([, title]) => title).join(' | ')} |`;
  return `${HEAD}${files.join('\n')}\n\n## Entries\n\n${heading}\n| --- | --- | --- | --- |\n${entries.join('\n')}\n`;
}

function entryCell({ entries }: ClientProgram, transport: EntryTransport): string {
  const template = entries[transport];
  return template === undefined ? 'no: the command' : `\`${JSON.stringify(template)}\``;
}
