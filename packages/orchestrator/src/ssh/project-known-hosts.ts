import { join } from 'node:path';
import type { Home } from '../home.ts';

/** The keys that were accepted by `her host add`. */
export function projectKnownHosts(home: Pick<Home, 'root'>): string {
  return join(home.root, 'known_hosts');
}
