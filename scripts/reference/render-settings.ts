import { KNOWN_SETTINGS } from '@portolan/workload/settings';

const HEAD = `# Settings of a user

What \`portolan config set KEY VALUE\` sets, \`get\` and \`list\` show, and \`unset\` takes away. They stand in
\`~/.config/portolan/config.yaml\` (\`XDG_CONFIG_HOME\` counts), a point between two keys being a level of the file. A flag and a registry
entry rank over them. \`NAME\` stands for a name: of a scheme (\`npx\`, \`uvx\`, \`go\`), or of a variable.

| setting | is | what it says |
|---|---|---|
`;

const IS = { text: 'a text', truth: '`true` or `false`', texts: 'texts' };

/** Returns the reference page of user settings, from the table that validates them. */
export function renderSettings(): string {
  const rows = KNOWN_SETTINGS.map(
    ({ key, is, description }) => `| \`${key.replaceAll('*', 'NAME')}\` | ${IS[is]} | ${description} |`,
  );
  return `${HEAD}${rows.join('\n')}\n`;
}
