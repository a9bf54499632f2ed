import type { JsonObject } from '@portolan/plugin-api';
import type { PermissionProfile } from '../permissions/permission-profile.ts';
import type { Template } from './entry-input.ts';
import type { RuntimeSettings } from './runtime-settings.ts';

/** Settings of a server as its registry entry defines them, without values from the user. */
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
  /** Names of the server's tools; undefined when the entry lists none. */
  readonly tools: readonly string[] | undefined;
  /** Expected origin of the image, as published, for image verification. */
  readonly provenance: JsonObject | undefined;
  /** Login settings of the remote server, as published. */
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

/** Argument of a server: a value, or a flag with an optional value. */
export interface EntryArgument {
  readonly flag: string | undefined;
  /** Undefined for a flag without a value. */
  readonly value: Template | undefined;
}
