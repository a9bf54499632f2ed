/** One family of metrics, as a scraper understands it. */
export interface Family {
  readonly type: string;
  readonly unit: string | undefined;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/y;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Inf)$/i;
const SUFFIXES = { counter: ['_total'], gauge: [''], histogram: ['_bucket', '_count', '_sum'] } as const;

/**
 * Reads metrics as text and refuses everything that the form does not allow: a family
 * in two parts, a sample of no family, a wrong suffix, a series twice, buckets that
 * fall. OpenMetrics is held to its units, its boundaries and its end besides.
 */
export function parseExposition(
  text: string,
  form: 'prometheus' | 'openmetrics',
): ReadonlyMap<string, Family> {
  const strict = form === 'openmetrics';
  if (!text.endsWith(strict ? '\n# EOF\n' : '\n')) throw new Error('the end is missing');
  const lines = text.slice(0, -1).split('\n');
  if (strict) lines.pop();
  const families = new Map<string, Family & { samples: Sample[] }>();
  let current: (Family & { readonly name: string; samples: Sample[] }) | undefined;
  let described: { name: string; help?: string; unit?: string } | undefined;
  for (const line of lines) {
    if (line === '' && !strict) continue; // Prometheus ignores empty lines, OpenMetrics forbids them
    const [, keyword, name = '', rest = ''] =
      new RegExp(`^# (HELP|UNIT|TYPE) (${NAME}) (.+)$`).exec(line) ?? [];
    if (keyword !== undefined) {
      if (described?.name !== name) described = { name };
      if (keyword === 'HELP') described.help = rest;
      else if (keyword === 'UNIT') described.unit = rest;
      else {
        const { help, unit } = described;
        if (help === undefined) throw new Error(`${name} has no HELP`);
        const family = strict ? name : name.replace(rest === 'counter' ? /_total$/ : /$^/, '');
        if (families.has(family)) throw new Error(`${family} is described twice`);
        if (strict && unit !== undefined && !name.endsWith(`_${unit}`))
          throw new Error(`${name} does not end with its unit ${unit}`);
        if (strict && rest === 'counter' && name.endsWith('_total'))
          throw new Error(`the family ${name} has a suffix of samples`);
        current = { name: family, type: rest, unit, help, samples: [] };
        families.set(family, current);
        described = undefined;
      }
      continue;
    }
    if (current === undefined) throw new Error(`belongs to nothing: ${line}`);
    current.samples.push(parseSample(line, current, strict));
  }
  if (described !== undefined) throw new Error(`${described.name} has no TYPE`);
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function parseSample(line: string, family: { name: string; type: string }, strict: boolean): Sample {
  const [, name = '', labelText = '', value = ''] = SAMPLE.exec(line) ?? [];
  const suffixes: readonly string[] | undefined = SUFFIXES[family.type as keyof typeof SUFFIXES];
  if (suffixes === undefined) throw new Error(`${family.name} has the type ${family.type}`);
  if (!suffixes.some((suffix) => name === `${family.name}${suffix}`))
    throw new Error(`no sample of the ${family.type} ${family.name}: ${line}`);
  if (!NUMBER.test(value)) throw new Error(`no number: ${line}`);
  const labels = parseLabels(labelText, line);
  const { le } = labels;
  if (strict && le !== undefined && !/^(?:\d+\.\d+|\+Inf)$/.test(le)) throw new Error(`boundary: ${line}`);
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function parseLabels(text: string, line: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, label, value] = LABEL.exec(text) ?? [];
    if (label === undefined || value === undefined) throw new Error(`labels: ${line}`);
    if (Object.hasOwn(labels, label)) throw new Error(`the label ${label} is there twice: ${line}`);
    labels[label] = value.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }
  return labels;
}

function checkFamily(name: string, { type, samples }: Family): void {
  if (samples.length === 0) throw new Error(`${name} has no samples`);
  const keys = samples.map(({ name: sample, labels }) => JSON.stringify([sample, Object.entries(labels)]));
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a series twice`);
  if (type === 'counter' && samples.some(({ value }) => value < 0)) throw new Error(`${name} is negative`);
  if (type === 'histogram') checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const series = Map.groupBy(samples, ({ labels }) =>
    JSON.stringify(Object.entries(labels).filter(([label]) => label !== 'le')),
  );
  for (const members of series.values()) {
    const buckets = members.filter((sample) => sample.name === `${name}_bucket`);
    const count = members.find((sample) => sample.name === `${name}_count`)?.value;
    const falls = buckets.some(({ value }, index) => value < (buckets[index - 1]?.value ?? 0));
    const last = buckets.at(-1);
    if (
      falls ||
      last?.labels['le'] !== '+Inf' ||
      last.value !== count ||
      members.length !== buckets.length + 2
    )
      throw new Error(`the histogram ${name} is not whole`);
  }
}
