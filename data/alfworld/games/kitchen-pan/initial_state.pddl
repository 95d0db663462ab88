; A household of our own, in the form of ALFWorld's problems.
(define (problem kitchen_pan)
(:domain alfred)
(:objects
  agent1 - agent
  Pan_bar_1 Lettuce_bar_1 Spoon_bar_1 - object
  Fridge_bar_1 Microwave_bar_1 CounterTop_bar_1 CounterTop_bar_2 SinkBasin_bar_1 StoveBurner_bar_1 Cabinet_bar_1 Cabinet_bar_2 Cabinet_bar_3 Drawer_bar_1 Drawer_bar_2 DiningTable_bar_1 GarbageCan_bar_1 - receptacle
  loc_bar_0 loc_bar_1 loc_bar_2 loc_bar_3 loc_bar_4 loc_bar_5 loc_bar_6 loc_bar_7 loc_bar_8 loc_bar_9 loc_bar_10 loc_bar_11 loc_bar_12 loc_bar_13 - location
  LettuceType PanType SpoonType - otype
  CabinetType CounterTopType DiningTableType DrawerType FridgeType GarbageCanType MicrowaveType SinkBasinType StoveBurnerType - rtype
)
(:init
  (= (total-cost) 0)
  (atLocation agent1 loc_bar_0)
  (receptacleType Fridge_bar_1 FridgeType) (receptacleAtLocation Fridge_bar_1 loc_bar_1) (openable Fridge_bar_1)
  (receptacleType Microwave_bar_1 MicrowaveType) (receptacleAtLocation Microwave_bar_1 loc_bar_2) (openable Microwave_bar_1)
  (receptacleType CounterTop_bar_1 CounterTopType) (receptacleAtLocation CounterTop_bar_1 loc_bar_3)
  (receptacleType CounterTop_bar_2 CounterTopType) (receptacleAtLocation CounterTop_bar_2 loc_bar_4)
  (receptacleType SinkBasin_bar_1 SinkBasinType) (receptacleAtLocation SinkBasin_bar_1 loc_bar_5)
  (receptacleType StoveBurner_bar_1 StoveBurnerType) (receptacleAtLocation StoveBurner_bar_1 loc_bar_6)
  (receptacleType Cabinet_bar_1 CabinetType) (receptacleAtLocation Cabinet_bar_1 loc_bar_7) (openable Cabinet_bar_1)
  (receptacleType Cabinet_bar_2 CabinetType) (receptacleAtLocation Cabinet_bar_2 loc_bar_8) (openable Cabinet_bar_2)
  (receptacleType Cabinet_bar_3 CabinetType) (receptacleAtLocation Cabinet_bar_3 loc_bar_9) (openable Cabinet_bar_3)
  (receptacleType Drawer_bar_1 DrawerType) (receptacleAtLocation Drawer_bar_1 loc_bar_10) (openable Drawer_bar_1)
  (receptacleType Drawer_bar_2 DrawerType) (receptacleAtLocation Drawer_bar_2 loc_bar_11) (openable Drawer_bar_2)
  (receptacleType DiningTable_bar_1 DiningTableType) (receptacleAtLocation DiningTable_bar_1 loc_bar_12)
  (receptacleType GarbageCan_bar_1 GarbageCanType) (receptacleAtLocation GarbageCan_bar_1 loc_bar_13)
  (objectType Pan_bar_1 PanType) (pickupable Pan_bar_1) (cleanable Pan_bar_1) (coolable Pan_bar_1) (inReceptacle Pan_bar_1 StoveBurner_bar_1) (objectAtLocation Pan_bar_1 loc_bar_6)
  (objectType Lettuce_bar_1 LettuceType) (pickupable Lettuce_bar_1) (cleanable Lettuce_bar_1) (coolable Lettuce_bar_1) (inReceptacle Lettuce_bar_1 Fridge_bar_1) (objectAtLocation Lettuce_bar_1 loc_bar_1)
  (objectType Spoon_bar_1 SpoonType) (pickupable Spoon_bar_1) (cleanable Spoon_bar_1) (inReceptacle Spoon_bar_1 Drawer_bar_1) (objectAtLocation Spoon_bar_1 loc_bar_10)
  (canContain CabinetType LettuceType) (canContain CabinetType PanType) (canContain CabinetType SpoonType)
  (canContain CounterTopType LettuceType) (canContain CounterTopType PanType) (canContain CounterTopType SpoonType)
  (canContain DiningTableType LettuceType) (canContain DiningTableType PanType) (canContain DiningTableType SpoonType)
  (canContain DrawerType LettuceType) (canContain DrawerType PanType) (canContain DrawerType SpoonType)
  (canContain FridgeType LettuceType) (canContain FridgeType PanType) (canContain FridgeType SpoonType)
  (canContain GarbageCanType LettuceType) (canContain GarbageCanType PanType) (canContain GarbageCanType SpoonType)
  (canContain MicrowaveType LettuceType) (canContain MicrowaveType PanType) (canContain MicrowaveType SpoonType)
  (canContain SinkBasinType LettuceType) (canContain SinkBasinType PanType) (canContain SinkBasinType SpoonType)
  (canContain StoveBurnerType LettuceType) (canContain StoveBurnerType PanType) (canContain StoveBurnerType SpoonType)
)
(:goal (and
  (exists (?r - receptacle)
    (exists (?o - object)
      (and (objectType ?o PanType) (receptacleType ?r CounterTopType) (coolable ?o) (isCool ?o)
           (inReceptacle ?o ?r))))
))
)
