"""How many numbers a layer keeps of each sequence, however long that is."""

from .architecture import RECURRENT
from .cache_plan import CSA_RATIO, HCA_RATIO, LayerPlan
from .shape_keys import ShapeKeys


def states_by_layer(keys: ShapeKeys, plan: LayerPlan) -> list[tuple[int, ...]]:
    """Return the F32 elements of each tensor that each layer keeps of one sequence (llama-memory-recurrent.cpp)."""
    if keys.architecture == "deepseek4":
        return _compressor_states(plan)
    shape, nothing = plan.state, ()
    if keys.architecture not in RECURRENT and not any(plan.recurrent):
        return [nothing] * plan.n_layer_all
    state = (shape.n_state_r, shape.n_state_s)
    states: list[tuple[int, ...]] = [
        state if il < plan.n_layer and plan.recurrent[il] else nothing for il in range(plan.n_layer_all)
    ]
    for il in shape.ple_layers:
        if il < len(states) and states[il]:
            states[il] = (*state, shape.n_state_ple)
    return states


def _compressor_states(plan: LayerPlan) -> list[tuple[int, ...]]:
    """deepseek4: keys and scores that are not compressed yet (llama-kv-cache-dsv4.cpp, llama_dsv4_comp_state)."""
    width = plan.key_width(0)
    n_indexer = 0 if plan.indexer is None else plan.indexer.key_length
    by_ratio = {
        CSA_RATIO: (4 * CSA_RATIO * width,) * 2 + (4 * CSA_RATIO * n_indexer,) * 2,
        HCA_RATIO: (HCA_RATIO * width,) * 2,
    }
    return [by_ratio.get(plan.compress_ratios[il], ()) if il < plan.n_layer else () for il in range(plan.n_layer_all)]
