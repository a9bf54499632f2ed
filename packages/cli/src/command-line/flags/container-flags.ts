import { boolean, string, stringArray } from './flag-types.ts';

const WORKLOAD = { helpGroup: 'WORKLOAD' };
const NETWORK = { helpGroup: 'NETWORK' };
const IMAGE = { helpGroup: 'IMAGE' };

/** Flags of `run` about the workload, its container, its network and its image. */
export const containerFlags = {
  name: string({
    ...WORKLOAD,
    description: 'name of the workload',
    fallback: 'made from what is run',
    helpValue: 'NAME',
  }),
  group: string({
    ...WORKLOAD,
    description: 'group that the workload belongs to',
    fallback: 'default',
    helpValue: 'NAME',
  }),
  label: stringArray({
    ...WORKLOAD,
    char: 'l',
    description: 'label of the container; repeatable',
    helpValue: 'KEY=VALUE',
  }),
  env: stringArray({
    ...WORKLOAD,
    char: 'e',
    description: 'environment variable of the server; repeatable',
    helpValue: 'KEY=VALUE',
  }),
  'env-file': string({
    ...WORKLOAD,
    description: 'load environment variables from a file',
    helpValue: 'FILE',
  }),
  'env-file-dir': string({
    ...WORKLOAD,
    description: 'load environment variables from all files in a directory',
    helpValue: 'DIRECTORY',
  }),
  secret: stringArray({
    ...WORKLOAD,
    description: 'secret of the secret store, as environment variable TARGET; repeatable',
    helpValue: 'NAME,target=TARGET',
  }),
  volume: stringArray({
    ...WORKLOAD,
    char: 'v',
    description: 'mount a file or folder of this machine; repeatable',
    helpValue: 'HOST-PATH:CONTAINER-PATH[:ro]',
  }),
  'permission-profile': string({
    ...WORKLOAD,
    description: 'what the container may do: none, network, or a JSON file',
    fallback: 'that of the registry entry, else network',
    helpValue: 'PROFILE',
  }),
  'from-config': string({
    ...WORKLOAD,
    description:
      'run what an exported file says (- for standard input); no other setting may stand beside it',
    helpValue: 'FILE',
  }),
  'ignore-globally': boolean({
    ...WORKLOAD,
    description: 'hide what the ignore file in the configuration directory lists (portolanignore)',
    fallback: 'true',
  }),
  'print-resolved-overlays': boolean({
    ...WORKLOAD,
    description: 'show which paths of mounted folders are hidden in the container',
    fallback: 'false',
  }),
  publish: stringArray({
    ...NETWORK,
    char: 'p',
    description: 'publish a port of the container; repeatable',
    helpValue: 'HOST-PORT:CONTAINER-PORT',
  }),
  network: string({
    ...NETWORK,
    description: 'network of the container: host, or the name of one that the engine has',
    fallback: 'bridge',
    helpValue: 'NETWORK',
  }),
  'isolate-network': boolean({
    ...NETWORK,
    description: 'let the container connect only to what its permission profile allows',
    fallback: 'true',
  }),
  'allow-container-gateway': boolean({
    ...NETWORK,
    description: "allow connections to the engine's gateway addresses in an isolated network",
    fallback: 'false',
  }),
  'image-verification': string({
    ...IMAGE,
    description: 'whether the signature of the image has to hold: warn, enabled, disabled',
    fallback: 'warn',
    helpValue: 'MODE',
  }),
  'ca-cert': string({
    ...IMAGE,
    description: 'certificates of more authorities to trust in builds, as PEM',
    helpValue: 'FILE',
  }),
  'runtime-image': string({
    ...IMAGE,
    description: 'base image for packages, instead of that of their scheme',
    helpValue: 'IMAGE',
  }),
  'runtime-add-package': stringArray({
    ...IMAGE,
    description: 'system package to install when a package is built, and where it runs; repeatable',
    helpValue: 'NAME',
  }),
  'build-with': stringArray({
    ...IMAGE,
    description: 'one more requirement for the build, such as pydantic<2.13; uvx only; repeatable',
    helpValue: 'REQUIREMENT',
  }),
};
