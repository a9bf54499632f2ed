import { pathOf } from '../../document/field-reader.ts';
import { type JsonMembers, ownMembers } from '../../document/json-members.ts';
import { findNameFault } from '../../members/exposed-name.ts';
import type { MemberOverride, NameSettings } from '../../members/member.ts';
import { refuseUnknown } from '../../run-config/members/refuse-unknown.ts';
import { isSet, refuseKeys, type VmcpReading } from './vmcp-reading.ts';

const STRATEGIES = ['prefix', 'priority', 'manual'] as const;
const AT = 'aggregation';
const KEYS = [
  'conflictResolution',
  'conflictResolutionConfig',
  'tools',
  'excludeAllTools',
  'defaultToolVisibility',
];

/** How the file forms names, and which tools it hides. */
export interface Aggregation {
  /** Returns the settings of a backend, with the names that clients of `thv vmcp` see. */
  readonly settingsOf: (backend: string) => NameSettings;
  /** Names of backends with settings of their own, with the place of each. */
  readonly named: ReadonlyMap<string, string>;
  /** Names of backends, first in priority; empty for other strategies. */
  readonly priority: readonly string[];
  /** Place of the first setting that applies to backends without an entry; undefined for none. */
  readonly common: string | undefined;
}

interface ToolSettings {
  readonly place: string;
  readonly filter: readonly string[];
  readonly overrides: Readonly<Record<string, MemberOverride>>;
  readonly excludesAll: boolean;
}

export function readAggregation(reading: VmcpReading, document: JsonMembers): Aggregation {
  const { fields } = reading;
  const map = fields.object(document, AT) ?? ownMembers({});
  refuseUnknown(fields, map, AT, { known: KEYS });
  const text = fields.text(map, 'conflictResolution', AT);
  const strategy = STRATEGIES.find((one) => one === text) ?? 'prefix';
  if (text !== '' && strategy !== text) {
    fields.problem(pathOf(AT, 'conflictResolution'), text, STRATEGIES.join(', '));
  }
  const place = pathOf(AT, 'conflictResolutionConfig');
  const config = fields.object(map, 'conflictResolutionConfig', AT) ?? ownMembers({});
  refuseUnknown(fields, config, place, { known: ['prefixFormat', 'priorityOrder'] });
  const format = fields.text(config, 'prefixFormat', place) || '{workload}_';
  const order = fields.texts(config, 'priorityOrder', place);
  const tools = readTools(reading, map);
  const visibility = fields.text(map, 'defaultToolVisibility', AT);
  if (!['', 'allow', 'deny'].includes(visibility)) {
    fields.problem(pathOf(AT, 'defaultToolVisibility'), visibility, 'allow or deny');
  }
  noteStrategy(reading, strategy);
  const hidesAll = fields.truth(map, 'excludeAllTools', AT);
  const common = [
    ...(strategy === 'prefix' ? [] : [pathOf(AT, 'conflictResolution')]),
    ...(strategy === 'prefix' && format !== '{workload}_' ? [pathOf(place, 'prefixFormat')] : []),
    ...(hidesAll ? [pathOf(AT, 'excludeAllTools')] : []),
    ...(visibility === 'deny' ? [pathOf(AT, 'defaultToolVisibility')] : []),
  ];
  const isHidden = (own: ToolSettings | undefined): boolean =>
    hidesAll || (own === undefined ? visibility === 'deny' : own.excludesAll);
  return {
    settingsOf: (backend) => {
      const own = tools.get(backend);
      const prefix = strategy === 'prefix' ? format.replaceAll('{workload}', backend) : '';
      checkPrefix(reading, prefix, pathOf(place, 'prefixFormat'));
      return namesOf(backend, { prefix, own, isHidden: isHidden(own) });
    },
    named: new Map([...tools].map(([name, { place: at }]) => [name, at])),
    priority: strategy === 'priority' ? order : [],
    common: common[0],
  };
}

function noteStrategy({ notes }: VmcpReading, strategy: (typeof STRATEGIES)[number]): void {
  if (strategy === 'prefix') return;
  const hidden = 'where two members have one name, both tools are hidden, and status names the pair';
  notes.push(
    strategy === 'priority'
      ? `${AT}.conflictResolution: with priority, Portolan gives no member precedence: ${hidden}.`
      : `${AT}.conflictResolution: with manual, a conflict that the file does not show does not end the start: ${hidden}.`,
    `${AT}.conflictResolution: with ${strategy}, prompts have no prefix either.`,
  );
}

/** Refuses a prefix that Portolan would separate from the name. */
function checkPrefix({ fields }: VmcpReading, prefix: string, place: string): void {
  if (prefix === '' || (/[_.-]$/.test(prefix) && findNameFault(prefix) === undefined)) return;
  const problem = `${place}: found a prefix that does not end with "_", "." or "-", or has other characters; expected one such as {workload}_`;
  if (!fields.problems.includes(problem)) fields.problems.push(problem);
}

interface BackendNames {
  readonly prefix: string;
  readonly own: ToolSettings | undefined;
  readonly isHidden: boolean;
}

function namesOf(backend: string, { prefix, own, isHidden }: BackendNames): NameSettings {
  const overrides = Object.entries(own?.overrides ?? {});
  // The filter names tools after the override; the documentation of `thv vmcp` shows own names. Both count.
  const filter = own?.filter.map((name) => overrides.find(([, to]) => to.name === name)?.[0] ?? name) ?? [];
  const tools = isHidden ? [] : filter.length === 0 ? undefined : [...new Set(filter)];
  const override = overrides
    .filter(([name]) => tools === undefined || tools.includes(name))
    .map(
      ([name, to]) => [name, to.name === undefined ? to : { ...to, name: `${prefix}${to.name}` }] as const,
    );
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(override.length === 0 ? {} : { override: Object.fromEntries(override) }),
    ...(prefix === `${backend}_` ? {} : { prefix: prefix === '' ? false : prefix }),
  };
}

const TOOL_KEYS = ['workload', 'toolConfigRef', 'filter', 'overrides', 'excludeAll'];

function readTools(reading: VmcpReading, map: JsonMembers): ReadonlyMap<string, ToolSettings> {
  const { fields } = reading;
  const tools = new Map<string, ToolSettings>();
  fields.objects(map, 'tools', AT).forEach((item, index) => {
    const place = `${AT}.tools[${index}]`;
    const entry = ownMembers(item);
    refuseUnknown(fields, entry, place, { known: TOOL_KEYS });
    refuseKeys(reading, entry, place, {
      toolConfigRef: 'it names a resource of Kubernetes: write its filter and overrides here',
    });
    const workload = fields.text(entry, 'workload', place);
    if (workload === '') fields.problem(pathOf(place, 'workload'), undefined, 'the name of a backend');
    if (tools.has(workload))
      fields.problem(pathOf(place, 'workload'), workload, 'one entry for each backend');
    tools.set(workload, {
      place,
      filter: fields.texts(entry, 'filter', place),
      overrides: readOverrides(reading, entry, place),
      excludesAll: fields.truth(entry, 'excludeAll', place),
    });
  });
  return tools;
}

function readOverrides(
  reading: VmcpReading,
  entry: JsonMembers,
  at: string,
): Readonly<Record<string, MemberOverride>> {
  const { fields } = reading;
  const place = pathOf(at, 'overrides');
  const overrides = Object.entries(fields.object(entry, 'overrides', at) ?? {}).flatMap(([own, value]) => {
    const where = pathOf(place, own);
    const override = fields.map(value, where);
    refuseUnknown(fields, override, where, { known: ['name', 'description', 'annotations'] });
    refuseKeys(reading, override, where, {
      annotations: 'the annotations of a tool stay those of its server',
    });
    const name = fields.text(override, 'name', where);
    const description = fields.text(override, 'description', where);
    const fault = name === '' ? undefined : findNameFault(name);
    if (fault !== undefined)
      fields.problem(pathOf(where, 'name'), name, `a name that clients accept: ${fault}`);
    if (!isSet(override, 'name') && !isSet(override, 'description')) return [];
    return [
      [own, { ...(name === '' ? {} : { name }), ...(description === '' ? {} : { description }) }] as const,
    ];
  });
  return Object.fromEntries(overrides);
}
