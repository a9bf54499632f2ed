import type { JsonObject } from '@portolan/plugin-api';
import type { PermissionProfile } from '../permissions/permission-profile.ts';
import type { Template } from './entry-input.ts';
import type { RuntimeSettings } from './runtime-settings.ts';

/** Taken from a registry entry, before any decision or question. */
export interface ServerSettings {
  readonly server: string;
  readonly version: string | undefined;
  readonly title: string | undefined;
  readonly runs: ServerForm;
  /** Undefined when the entry names none, or an unknown one. */
  readonly transport: string | undefined;
  readonly targetPort: Template | undefined;
  /** Path and query of the endpoint in the container, such as `/mcp`; undefined when none is named. */
  readonly targetPath: Template | undefined;
  readonly args: readonly EntryArgument[];
  readonly variables: readonly NamedValue[];
  readonly headers: readonly NamedValue[];
  readonly permissions: PermissionProfile | undefined;
  readonly stateless: boolean | undefined;
  /** Names of its tools; undefined when not listed. */
  readonly tools: readonly string[] | undefined;
  /** For image verification, as published. */
  readonly provenance: JsonObject | undefined;
  /** For remote authentication, as published. */
  readonly oauthConfig: JsonObject | undefined;
  readonly repository: string | undefined;
  readonly runtime: Pick<RuntimeSettings, 'settings' | 'blockers'>;
  /** A sentence for each part of the entry that is ignored. */
  readonly notes: readonly string[];
}

export type ServerForm =
  | { readonly form: 'image'; readonly image: string }
  | { readonly form: 'package'; readonly scheme: string; readonly package: string }
  | { readonly form: 'remote'; readonly url: Template };

export interface NamedValue {
  readonly name: string;
  readonly value: Template;
}

/** A flag precedes its value. */
export interface EntryArgument {
  readonly flag: string | undefined;
  /** Undefined for a flag without a value. */
  readonly value: Template | undefined;
}
