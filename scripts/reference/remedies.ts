/** Remedies for errors whose hint is missing in the source, or variable. */
export const REMEDIES: Readonly<Record<string, string>> = {
  ERR_AUTHENTICATION_REQUIRED:
    'Send a credential. In anonymous mode nobody is identified, so there is nobody to show.',
  ERR_BODY_TOO_LARGE: 'Send less.',
  ERR_BODY_INVALID:
    'Correct what is named; the hint shows a body that is taken, and `/openapi.json` describes it.',
  ERR_CATALOGUE_FORMAT:
    'Bring the document into the upstream or the legacy format; see the README of `plugins/source-file`.',
  ERR_CATALOGUE_NOT_JSON: 'Check that the document is a catalogue at all.',
  ERR_CONFIG_INVALID: 'Correct every place that is listed; `portolan config check` tells when none is left.',
  ERR_CREDENTIAL_MALFORMED: 'Send one header `Authorization: Bearer TOKEN`.',
  ERR_CREDENTIAL_MISSING: 'Send a token; `WWW-Authenticate` says where the issuers are described.',
  ERR_ENTRY_NOT_FOUND: 'Check name and version against the list; a slash inside a name is written `%2F`.',
  ERR_ENTRY_FILE:
    'Name a server.json, a skill, a plugin, or a catalogue of them; `docs/guides/registry/publish/index.md` shows each.',
  ERR_HOST_INVALID: 'Send the header `Host` once; every HTTP library does.',
  ERR_LOOKUP_ADDRESS:
    'Name a registry or catalogue as a URL with https, or a file; `--allow-private-ip` allows http and this network.',
  ERR_LOOKUP_UNAUTHORIZED:
    'Log in with `portolan registry login`; programs name a file with a valid token in `PORTOLAN_REGISTRY_TOKEN_FILE`.',
  ERR_METADATA_NOT_FOUND: 'Nothing: clients go on without a token.',
  ERR_METHOD_NOT_ALLOWED: 'Use one of the methods in the message, which also stand in the header `Allow`.',
  ERR_NOT_READY: 'Wait, or look at the reasons in the answer and in the log.',
  ERR_PACKAGE: 'Write the package as its index names it, perhaps with `@VERSION` behind it.',
  ERR_PACKAGE_BUILD:
    'Do what the output of the failed step says; a host that was refused is opened with `portolan config set build.allow_host`.',
  ERR_PARAMETER_INVALID: 'Correct the parameters that are named; `/openapi.json` describes all of them.',
  ERR_PLUGIN_COMMAND: 'Look at what the command of the plugin says; it is not one of ours.',
  ERR_PLUGIN_IMPORT:
    'Follow the hint: install what is missing, correct the plugin, or take it out of the configuration.',
  ERR_REGISTRY_FORBIDDEN: 'Ask the operator of the registry for the required claims.',
  ERR_REGISTRY_UNKNOWN: 'Name one of the registries in the hint.',
  ERR_ROUTE_NOT_FOUND: 'Look at `/openapi.json`, which describes every address of the public listener.',
  ERR_RUNTIME_ARGUMENT:
    'Set the same by the flag that the message names, such as `--network`, or run the image or package of the entry itself.',
  ERR_RUN_TARGET:
    'Name a server of the registry, an image, SCHEME://PACKAGE or a URL, or use `--from-config`.',
  ERR_SECRET_RESERVED:
    'Store the value under a name of your own with `portolan secret set NAME`, and use that name.',
  ERR_SECRET_NAME: 'Choose a name by the rules in the message.',
  ERR_SECRET_NOT_FOUND:
    'Set it with `portolan secret set NAME`; `portolan secret list` shows those that there are.',
  ERR_SECRET_STORE_PASSWORD:
    'Give the password that the secrets were set with, in PORTOLAN_SECRETS_PASSWORD or when asked.',
  ERR_SERVER_ADDRESS: 'Name the server as `https://registry.acme.example`, with --url or PORTOLAN_URL.',
  ERR_SERVER_REFUSED:
    'Do what the hint of the server says; `portolan claims explain` shows roles and claims.',
  ERR_REGISTRY_UNREACHABLE: 'Check the address, that the server runs, and what stands between.',
  ERR_SOURCE_STATUS:
    'Check that the configured address is that of the registry or catalogue, and that it may be read.',
  ERR_SOURCE_INVALID:
    'Correct every problem that is named; the rules are those of the configuration file, and of `apiSources` in it.',
  ERR_TOKEN_REFUSED:
    'Get a new token; the log of the server has the reason, and `portolan claims explain` tells it.',
};
