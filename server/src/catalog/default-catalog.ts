// What the catalog file holds when Hone writes it on first start.
export const defaultCatalog = { models: [] as unknown[] }
