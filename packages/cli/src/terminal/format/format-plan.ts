import type { PlannedBuild, PlannedSetting, RunPlan } from '@portolan/workload';
import { shownValue } from './format-difference.ts';
import { formatTable } from './format-table.ts';
import { printable } from '../printable.ts';

const MEBIBYTE = 1024 * 1024;

export type Section = readonly [title: string, lines: readonly string[]];

/** Formats a plan for people; `ofMembers` are the sections about a virtual server. No final line break. */
export function formatPlan(plan: RunPlan, ofMembers: readonly Section[] = []): string {
  const sections: readonly Section[] = [
    ...ofMembers,
    ['settings', table(plan.settings.map(settingRow))],
    ['image', imageLines(plan)],
    ...effectsOf(plan),
    ['changes', changeLines(plan)],
    ['warnings', plan.warnings],
  ];
  const { target } = plan;
  const where = target.registry === undefined ? '' : ` of ${target.registry}`;
  return [
    `${plan.name}: ${target.form}${where} ${target.named}`,
    `  ${target.because}`,
    ...sections.flatMap(([title, lines]) => (lines.length === 0 ? [] : ['', title, ...lines.map(indented)])),
  ]
    .map(printable)
    .join('\n');
}

/** Returns what a server may reach and what it gets, as sections. */
export function effectsOf(plan: RunPlan): readonly Section[] {
  return [
    [
      'mounts',
      plan.mounts.map(
        ({ source, target, read_only: isReadOnly, author }) =>
          `${source} -> ${target} (${isReadOnly ? 'read only, ' : ''}${author})`,
      ),
    ],
    ['hidden', plan.hidden.map(({ path, kind }) => `${path} (${kind})`)],
    ['network', networkLines(plan)],
    ['sessions', sessionLines(plan)],
    ['protected', plan.protections],
    [
      'environment',
      table(plan.environment.map(({ name, author, from, by }) => [name, author, `${from}: ${by}`])),
    ],
    [
      'secrets',
      plan.secrets.map(({ variable, secret, author }) => `${variable} gets the secret ${secret} (${author})`),
    ],
    ['headers', plan.headers.map(({ name, author }) => `${name} (${author})`)],
    ['missing', plan.missing],
    [
      'grants',
      plan.grants.map(
        ({ line, author, accepted }) => `${line} (${author}${accepted ? ', allowed' : ', not allowed yet'})`,
      ),
    ],
  ];
}

function settingRow({ setting, value, author, from, by }: PlannedSetting): readonly string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return [setting, text, author, `${from}: ${by}`];
}

function imageLines({ image, remote_url: url }: RunPlan): readonly string[] {
  if (image === undefined) return url === undefined ? [] : [`none: requests go to ${url}`];
  const digest = image.digest === undefined ? [] : [image.digest];
  const build = image.build === undefined ? [] : buildLines(image.build);
  return [`${image.reference ?? 'not known before it is built'} (${image.is})`, ...digest, ...build];
}

/** Omits the Dockerfile, which is only in the JSON output and in `portolan build --dry-run`. */
function buildLines({ package: built, base_images: bases, hosts, cached }: PlannedBuild): readonly string[] {
  return table([
    ['package', built],
    ['base', bases.join(', ')],
    ['hosts', hosts.length === 0 ? 'none' : hosts.join(', ')],
    ['cached', cached ? 'yes' : 'no'],
  ]);
}

function networkLines({ networks }: RunPlan): readonly string[] {
  if (networks === undefined) return [];
  const hosts = networks.allowed_hosts.length === 0 ? 'nowhere' : networks.allowed_hosts.join(', ');
  const ports = networks.allowed_ports.length === 0 ? '' : ` on ports ${networks.allowed_ports.join(', ')}`;
  return [
    `${networks.mode}, ${networks.isolated ? `isolated; may connect to ${hosts}${ports}` : 'not isolated'}`,
    ...networks.published.map((port) => `publishes ${port}`),
  ];
}

function sessionLines({ sessions }: RunPlan): readonly string[] {
  if (sessions === undefined) return [];
  const { most, processes, memory_bytes: memory } = sessions;
  const how = processes === 'own' ? 'each with a process of its own' : 'all with one process';
  const cost = memory === null ? '' : `; together up to ${Math.ceil(memory / MEBIBYTE)} MiB of memory`;
  return [`at most ${most}, ${how}${cost}`];
}

function changeLines({ changes, lost, name }: RunPlan): readonly string[] {
  if (changes === undefined) return [];
  if (changes.length === 0) return [`none: a workload ${name} exists with these settings`];
  return [
    ...changes.map(
      ({ setting, before, after }) => `${setting}: ${shownValue(before)} -> ${shownValue(after)}`,
    ),
    ...lost.map((protection) => `no longer protected: ${protection}`),
  ];
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const [first] = rows;
  if (first === undefined) return [];
  return formatTable(
    first.map(() => ''),
    rows,
  )
    .split('\n')
    .slice(1);
}

function indented(line: string): string {
  return `  ${line}`;
}
