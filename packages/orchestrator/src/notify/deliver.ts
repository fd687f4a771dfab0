/** How one try to deliver went. `again`: another try may help. `why` never holds an address or a value. */
export type Delivery = { done: true } | { done: false; why: string; again: boolean; after?: number };

export type Send = (message: string, signal: AbortSignal) => Promise<Delivery>;
