import { deactivation } from '../state-forms.ts';

export const inactive = deactivation('inactive', 'CLUSTER_INACTIVE');
