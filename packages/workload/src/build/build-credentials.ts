import {
  type AuthFileName,
  type BuildPreparation,
  type Scheme,
  type SchemeOptions,
  isPortolanError,
} from '@portolan/plugin-api';
import { type BuildSettings, expectedBuildVariable, expectedVariableValue } from '@portolan/run-spec';
import { ForwardedError } from '../forwarded-error.ts';
import { USER_SETTINGS } from '../secrets/secret-owner.ts';
import { resolveAuthFiles, resolveNames } from '../secrets/resolve-secrets.ts';
import { buildVariableInvalid, buildVariablesUnset } from './build-errors.ts';
import type { BuildContext } from './build-request.ts';
import { credentialsScript } from './credentials-script.ts';
import { listSecretTexts, maskTexts } from './mask-credentials.ts';

/** Secret values for a build. They must not get into a plan, a message or a hash. */
export interface OpenCredentials {
  readonly variables: Readonly<Record<string, string>>;
  readonly authFiles: Readonly<Partial<Record<AuthFileName, string>>>;
  /** Script that a build step runs to set the variables and create the files. */
  readonly script: string;
  readonly mask: (text: string) => string;
}

/**
 * Variables and credential files that the builds of one scheme (such as `npx`) get. The values are read on
 * first use.
 */
export class BuildCredentials {
  readonly #settings: BuildSettings;
  readonly #context: BuildContext;
  readonly #prepared: BuildPreparation;
  #opening: Promise<OpenCredentials> | undefined;

  private constructor(settings: BuildSettings, context: BuildContext) {
    const { values, fromSecrets, fromShell, authFiles } = settings;
    this.#settings = settings;
    this.#context = context;
    const variables = [...Object.keys(values), ...Object.keys(fromSecrets), ...fromShell].toSorted();
    this.#prepared = { variables, authFiles };
  }

  /**
   * Returns the credentials for the builds of a scheme; undefined when the user has set none. Throws
   * ERR_SETTING.
   */
  static of({ authFiles }: Pick<Scheme, 'authFiles'>, context: BuildContext): BuildCredentials | undefined {
    if (authFiles === undefined) return undefined;
    const { build } = context.user;
    const settings = { ...build, authFiles: build.authFiles.filter((name) => authFiles.includes(name)) };
    const credentials = new BuildCredentials(settings, context);
    const { prepared } = credentials;
    if (prepared.variables.length === 0 && prepared.authFiles.length === 0) return undefined;
    for (const [at, name] of prepared.variables.entries()) {
      const expected = expectedBuildVariable(name);
      if (expected !== undefined) throw buildVariableInvalid(name, 'the name', expected);
      if (prepared.variables[at + 1] === name)
        throw buildVariableInvalid(name, 'the source', 'exactly one source');
    }
    checkValues(settings.values);
    return credentials;
  }

  /** Names of variables and files, without values, for the build plan. */
  get prepared(): BuildPreparation {
    return this.#prepared;
  }

  /**
   * Values of variables that are not secret. They are part of the hash in the image's tag, so a changed value
   * causes a new build.
   */
  get values(): Readonly<Record<string, string>> {
    return this.#settings.values;
  }

  /** Whether reading the values needs a secret store. */
  get needsStore(): boolean {
    const { fromSecrets, authFiles } = this.#settings;
    return authFiles.length > 0 || Object.keys(fromSecrets).length > 0;
  }

  /** Returns the options that a build plan may see, with only the names of secret values. */
  hide(options: SchemeOptions): SchemeOptions {
    const { variables, authFiles } = this.#prepared;
    const { values } = this.#settings;
    const shown = Object.entries(options.environment).filter(([name]) => !variables.includes(name));
    return {
      ...options,
      environment: { ...Object.fromEntries(shown), ...values },
      buildVariables: variables,
      authFiles: Object.fromEntries(authFiles.map((name) => [name, ''])),
    };
  }

  /**
   * Reads every value once. Throws ERR_SETTING and the errors of the secret store; no message contains a
   * value.
   */
  async open(signal?: AbortSignal): Promise<OpenCredentials> {
    const opening = (this.#opening ??= this.#open(signal));
    opening.catch(() => {
      this.#opening = undefined;
    });
    return await opening;
  }

  /** Returns the scheme's options with all secret values filled in. Throws like `open`. */
  async reveal(options: SchemeOptions): Promise<SchemeOptions> {
    const { variables, authFiles } = await this.open(options.signal);
    return {
      ...options,
      environment: { ...options.environment, ...variables },
      buildVariables: this.#prepared.variables,
      authFiles,
    };
  }

  /** Returns an error whose message masks the secrets. */
  async clean(thrown: unknown): Promise<unknown> {
    // If reading the credentials failed, `thrown` already reports that.
    const opened = await this.#opening?.catch(() => undefined);
    if (opened === undefined || !isPortolanError(thrown)) return thrown;
    const message = opened.mask(thrown.message);
    const { hint } = thrown;
    // A masked error has no `cause`, because the cause may contain the same secrets.
    return message === thrown.message
      ? thrown
      : new ForwardedError(thrown, message, hint === undefined ? {} : { hint });
  }

  async #open(signal: AbortSignal | undefined): Promise<OpenCredentials> {
    const { values, fromSecrets, fromShell, authFiles: files } = this.#settings;
    const { environment } = this.#context;
    const unset = fromShell.filter((name) => (environment[name] ?? '') === '');
    if (unset.length > 0) throw buildVariablesUnset(unset);
    const ofShell = Object.fromEntries(fromShell.map((name) => [name, environment[name] ?? '']));
    const ofStore = await resolveNames(
      new Map(Object.entries(fromSecrets)),
      this.#context,
      USER_SETTINGS,
      signal,
    );
    const variables = { ...values, ...ofStore, ...ofShell };
    checkValues(variables);
    const authFiles = await resolveAuthFiles(files, this.#context, signal);
    const secrets = listSecretTexts({ secret: { ...ofStore, ...ofShell }, shown: values, authFiles });
    return {
      variables,
      authFiles,
      script: credentialsScript({ variables, authFiles }),
      mask: (text) => maskTexts(text, secrets),
    };
  }

  describe(): string {
    const { fromSecrets, fromShell } = this.#settings;
    const { variables, authFiles } = this.#prepared;
    const named = variables.map((name) => {
      const secret = fromSecrets[name];
      if (secret !== undefined) return `${name} (secret ${secret})`;
      return fromShell.includes(name) ? `${name} (from the shell)` : name;
    });
    const files = authFiles.map((name) => `.${name}`);
    const parts = [
      ...(named.length === 0 ? [] : [`the variables ${named.join(', ')}`]),
      ...(files.length === 0 ? [] : [`the files ${files.join(', ')}`]),
    ];
    const hidden = this.needsStore ? ' Hosts that occur only in secrets are not listed.' : '';
    return `The build gets ${parts.join(' and ')}; they do not end up in the image.${hidden}`;
  }
}

function checkValues(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const expected = expectedVariableValue(value);
    if (expected !== undefined) throw buildVariableInvalid(name, 'the value', expected);
  }
}
