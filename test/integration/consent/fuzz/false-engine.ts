import {
  type ContainerDescription,
  type ContainerEngine,
  type ContainerSpec,
  type EngineDescription,
  type ImageDescription,
  PortolanError,
} from '@portolan/plugin-api';

const DESCRIBED: EngineDescription = {
  name: 'False',
  version: '1',
  apiVersion: '1',
  os: 'linux',
  architecture: 'amd64',
  address: 'false:',
  addressFrom: 'the test',
  rootless: false,
  userNamespaces: false,
  sharesSockets: true,
  keepsInputOpen: true,
  buildsInClosedNetwork: true,
  opensLowPorts: true,
};

const image = (reference: string): ImageDescription => ({
  id: 'sha256:1d',
  references: [reference],
  digests: [],
  os: 'linux',
  architecture: 'amd64',
  labels: {},
  environment: {},
  entrypoint: [],
  command: [],
  user: '',
  workingDirectory: '/',
  exposedPorts: [],
  onBuild: [],
  sizeBytes: 1,
  createdAt: new Date(0),
});

/** Maximum length of the inspected part of a build context. Files of a stranger's folder come first. */
const MAX_CONTEXT = 1_048_576;

/** Requests to an engine. */
export interface EngineEvents {
  readonly created: (spec: ContainerSpec) => Promise<void>;
  readonly pulled: (reference: string) => void;
  readonly built: (context: string) => void;
}

/** Returns an engine that has every image and starts nothing: it reports each request and rejects it. */
export function falseEngine({ created, pulled, built }: EngineEvents): ContainerEngine {
  const refusal = new PortolanError('ERR_FALSE_ENGINE', 'fault', 'The false engine starts nothing.');
  const none = (): Promise<readonly ContainerDescription[]> => Promise.resolve([]);
  const engine: Partial<ContainerEngine> = {
    describe: () => Promise.resolve(DESCRIBED),
    inspectImage: (reference) => Promise.resolve(image(reference)),
    provideImage: (reference) => {
      pulled(reference);
      return Promise.resolve(image(reference));
    },
    buildImage: async (context) => {
      let text = '';
      for await (const bytes of context) {
        text += Buffer.from(bytes).toString('latin1');
        if (text.length > MAX_CONTEXT) break;
      }
      built(text);
      return image('built');
    },
    importImage: () => Promise.resolve(image('portolan/gateway')),
    listImages: () => Promise.resolve([]),
    removeImage: () => Promise.resolve(),
    createContainer: async (spec) => {
      await created(spec);
      throw refusal;
    },
    inspectContainer: () => Promise.resolve(undefined),
    removeContainer: () => Promise.resolve(),
    stopContainer: () => Promise.resolve(),
    listContainers: none,
    listNetworks: () => Promise.resolve([]),
    removeNetwork: () => Promise.resolve(),
  };
  // SAFETY: a container that is never created is not attached, started or read.
  return engine as ContainerEngine;
}
