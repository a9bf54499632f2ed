/** Files that pages name where a server runs, and which this machine does not have. */
const OF_ANOTHER_MACHINE =
  /found (?:"\/[^"]*"|a reference to \/\S+), (?:which|whose folder) does not exist;|^warning: .*, which does not exist; expected a catalogue file/;

/**
 * Returns the lines that `portolan config check` writes on standard error, without those about missing files.
 */
export function problemsOfThisMachine(stderr: string): readonly string[] {
  const lines = stderr.split('\n').filter((line) => line !== '');
  const [header = '', ...others] = lines.filter((line) => !OF_ANOTHER_MACHINE.test(line));
  const isHeaderAlone = others.length === 0 && / has \d+ problems?$/.test(header) && lines.length > 1;
  return isHeaderAlone || header === '' ? others : [header, ...others];
}
