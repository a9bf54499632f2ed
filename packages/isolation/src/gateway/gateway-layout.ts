export const NODE_FILE = '/bin/node';
export const PROGRAM_FOLDER = '/portolan';
export const RELAY_FILE = `${PROGRAM_FOLDER}/relay.mjs`;
export const BRIDGE_FILE = `${PROGRAM_FOLDER}/socket-bridge.mjs`;
export const SOCKET_FOLDER = '/run/portolan';

export const GATEWAY_REPOSITORY = 'portolanlocal/gateway';
