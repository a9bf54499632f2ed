/** What a configuration needs, and a part of one that a page shows may leave out. */
const NEEDED: readonly (readonly [key: RegExp, text: string])[] = [
  [
    /^sources:/m,
    'sources: [{ name: shown, file: { path: ./shown.json }, syncPolicy: { interval: 1h } }]\n' +
      'registries: [{ name: shown, sources: [shown] }]\n',
  ],
  [/^auth:/m, 'auth: { mode: anonymous }\n'],
];

/** A whole configuration of a part of one in YAML. */
export function completeConfiguration(part: string): string {
  return [part, ...NEEDED.filter(([key]) => !key.test(part)).map(([, text]) => text)].join('\n');
}

/** A value for each `${NAME}` in it. */
export function variablesOf(part: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...part.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'for-the-test']),
  );
}
