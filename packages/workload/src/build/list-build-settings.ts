import type { AuthFileName } from '@portolan/plugin-api';
import type { BuildSettings } from '@portolan/run-spec';
import { settingUnset } from '../state/user-config/user-config-errors.ts';

export type BuildVariableSource =
  | { readonly from: 'value'; readonly value: string }
  | { readonly from: 'secret'; readonly secret: string }
  | { readonly from: 'shell' };

export type BuildVariable = { readonly name: string } & BuildVariableSource;

export function listBuildVariables({
  values,
  fromSecrets,
  fromShell,
}: BuildSettings): readonly BuildVariable[] {
  const all: BuildVariable[] = [
    ...Object.entries(values).map(([name, value]) => ({ name, from: 'value' as const, value })),
    ...Object.entries(fromSecrets).map(([name, secret]) => ({ name, from: 'secret' as const, secret })),
    ...fromShell.map((name) => ({ name, from: 'shell' as const })),
  ];
  return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns a build variable. Throws ERR_NAME_UNKNOWN. */
export function getBuildVariable(settings: BuildSettings, name: string): BuildVariable {
  const buildVariable = listBuildVariables(settings).find((variable) => variable.name === name);
  if (buildVariable === undefined) throw settingUnset(`The variable ${name} of builds`, 'get-build-env');
  return buildVariable;
}

/** Throws ERR_NAME_UNKNOWN when the user has not set this credential file for builds. */
export function requireAuthFile({ authFiles }: BuildSettings, name: AuthFileName): void {
  if (!authFiles.includes(name)) throw settingUnset(`The file ${name} of builds`, 'get-build-auth-file');
}
