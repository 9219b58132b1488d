# The cost model: instructions and memory that inputs take.
#
#   make cost                  all rows
#   make cost R='annotations'  those with this in their name
#   make cost V=1              and says what each of them takes

COST_DIR   := $(UNIT_DIR)/cost
COST_OBJS  := $(patsubst %.c,$(UNIT_DIR)/%.o,$(wildcard t/cost/*.c)) \
              $(UNIT_CORE) \
              $(foreach r,$(UNIT_session),$(UNIT_DIR)/$r.a)

.PHONY: cost

cost: $(UNIT_DIR)/cost_model
	@t/cost/cost.pl $(if $(V),-v) -j $(JOBS) -d $(COST_DIR) $< '$(R)'

$(UNIT_DIR)/cost_model: $(COST_OBJS)
	$(UNIT_Q)$(CC) $(UNIT_CFLAGS) -o $@ $^ $(UNIT_LDLIBS)

$(UNIT_DIR)/t/cost/%.o: UNIT_CFLAGS += -Isrc/store \
    -Wno-missing-field-initializers
