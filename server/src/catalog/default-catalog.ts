// What the catalog file holds when Hone writes it on first start: the models that come with it.
export const defaultCatalog = {
  models: [
    {
      id: 'hone/hone-mini',
      display_name: 'Hone Mini',
      owned_by: 'hone',
      created: '2026-11-15T00:00:00Z',
      context_window: 2048,
      max_output_tokens: 1024,
      supports_tools: true,
      reasoning: { efforts: ['low', 'medium', 'high'], default: null },
      prompt_caching: { type: 'explicit', min_tokens: 64 },
      routes: [
        {
          engine: 'embedded',
          pricing: {
            input: 0.1,
            output: 0.4,
            cache_read: 0.01,
            cache_write_5m: 0.125,
            cache_write_1h: 0.2,
          },
        },
      ],
    },
    {
      id: 'hone/judge-basic',
      display_name: 'Hone Judge Basic',
      owned_by: 'hone',
      created: '2026-11-15T00:00:00Z',
      context_window: 131_072,
      max_output_tokens: 256,
      judge: true,
      routes: [{ engine: 'judge-basic', pricing: { input: 0.01, output: 0.01 } }],
    },
  ],
}
