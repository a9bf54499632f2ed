import { asset } from './asset.ts';

const CSS = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; overflow-wrap: anywhere; }
`;

export const styleSheet = asset('style', 'css', 'text/css; charset=utf-8', CSS);
